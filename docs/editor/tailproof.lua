-- SPDX-License-Identifier: GPL-3.0-or-later
-- Neovim (0.7 and later): the language server for *.tp files. Save as ~/.config/nvim/plugin/tailproof.lua.
-- Mistakes show as you type, verdicts when you save. K: what the name under the cursor means; gd: where it is declared;
-- gr: where it is used; <Space>f: format; <Space>a: actions, such as "Insert inferred invariants".
-- tests/cli/t-lsp-neovim.sh runs this file.
local function keys(buffer)
  local function map(key, what)
    vim.keymap.set('n', key, what, { buffer = buffer })
  end
  map('K', vim.lsp.buf.hover)
  map('gd', vim.lsp.buf.definition)
  map('gr', vim.lsp.buf.references)
  map('<Space>f', vim.lsp.buf.format or vim.lsp.buf.formatting)
  map('<Space>a', vim.lsp.buf.code_action)
end

local server = {
  name = 'tailproof',
  cmd = { vim.g.tailproof_program or 'tailproof', 'lsp' },
  on_attach = function(_, buffer) keys(buffer) end,
}

local client -- one server for all files, where Neovim does not see to it itself (before 0.8)

local function start(event)
  vim.bo[event.buf].filetype = 'tailproof'
  vim.bo[event.buf].commentstring = '# %s'
  if vim.lsp.start then
    vim.lsp.start(server)
    return
  end
  if client == nil or vim.lsp.get_client_by_id(client) == nil then
    client = vim.lsp.start_client(server)
  end
  vim.lsp.buf_attach_client(event.buf, client)
end

vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, { pattern = '*.tp', callback = start })
