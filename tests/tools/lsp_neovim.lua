-- SPDX-License-Identifier: GPL-3.0-or-later
-- What Neovim shows of a protocol, with docs/editor/tailproof.lua: run by tests/cli/t-lsp-neovim.sh inside Neovim.
-- The file is one with `within ?` and without one of its invariants. Writes TAP to $TAP, and ends Neovim.
-- Waits for what is to be seen; HANG is for what waits for ever.
local HANG = 7200000
local tap = assert(io.open(os.getenv('TAP'), 'w'))
local count = 0

local function check(title, good, shown)
  count = count + 1
  tap:write((good and 'ok ' or 'not ok ') .. count .. ' - ' .. title .. '\n')
  if not good then
    tap:write('# ' .. vim.inspect(shown):gsub('\n', '\n# ') .. '\n')
  end
  tap:flush()
end

local function wait(condition)
  assert(vim.wait(HANG, condition, 20), 'nothing happened')
end

local function type_keys(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'mx', false)
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function text()
  return table.concat(lines(), '\n')
end

local function codes()
  local found = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, (d.code or d.user_data.lsp.code) .. ' line ' .. (d.lnum + 1))
  end
  table.sort(found)
  return table.concat(found, ', ')
end

-- Where the n-th `what` stands, and the cursor on it.
local function go_to(what)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  assert(vim.fn.search(what, 'cW') ~= 0, what)
  return vim.api.nvim_win_get_cursor(0)
end

local function line_of(pattern)
  for i, line in ipairs(lines()) do
    if line:find(pattern) then
      return i
    end
  end
end

-- The text of a window that floats, such as that of a hover.
local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
    end
  end
end

local function run()
  wait(function() return next(vim.lsp.buf_get_clients()) ~= nil end)
  check('a terminal shows it', #vim.api.nvim_list_uis() == 1 and vim.api.nvim_list_uis()[1].stdin_tty ~= false,
    vim.api.nvim_list_uis())

  type_keys('Gobound extra: sent Repyl within 1 ms<Esc>')
  wait(function() return codes() ~= '' end)
  check('a mistake is seen while it is typed', codes() == 'E0205 line ' .. #lines(), codes())
  type_keys('u')
  wait(function() return codes() == '' end)
  check('and goes away with it', true)

  go_to([[send Ack]])
  type_keys('wK')
  wait(function() return floating() ~= nil end)
  check('hover says what a name means', floating():find('message', 1, true) and
    floating():find('Ack(from: backup) : backup from -> primary', 1, true) and floating():find('used %d+ times: lines'),
    floating())
  type_keys('<Esc>')

  go_to([[send Ack]])
  type_keys('wgd')
  local declared = line_of('^message Ack')
  wait(function() return vim.api.nvim_win_get_cursor(0)[1] == declared end)
  check('go to definition', vim.api.nvim_win_get_cursor(0)[2] == #'message ', vim.api.nvim_win_get_cursor(0))

  type_keys('gr')
  wait(function() return #vim.fn.getqflist() > 0 end)
  local uses = vim.fn.getqflist()
  check('references', #uses == 3 and uses[1].lnum == declared, uses)
  vim.cmd('cclose')

  vim.cmd('silent write')
  wait(function() return codes():find('unknown') end)
  local asked = line_of('within %?')
  check('on save: a verdict for each bound', codes() == 'unknown line ' .. asked .. ', unknown line ' ..
    line_of('^bound reply_uniform'), codes())

  local offered
  vim.ui.select = function(items, _, choose)
    offered = items
    choose(items[1], 1)
  end
  go_to([[bound reply:]])
  type_keys('w<Space>a')
  wait(function() return text():find('invariant ack_time') end)
  check('the code action inserts what inference finds', #offered == 1 and offered[1][2].kind == 'quickfix' and
    offered[1][2].title == 'Insert inferred invariants' and not text():find('within ?', 1, true), offered)
  vim.cmd('silent write')
  wait(function() return codes():find('proved') end)
  check('and the bounds are proved', codes() == 'proved line ' .. line_of('^bound reply:') .. ', proved line ' ..
    line_of('^bound reply_uniform'), codes())

  local printed = vim.fn.systemlist({ vim.g.tailproof_program, 'format', vim.api.nvim_buf_get_name(0) })
  local before = text()
  type_keys('<Space>f')
  wait(function() return text() ~= before end)
  check('formatting is what `format` prints', text() == table.concat(printed, '\n'), text())

  vim.lsp.stop_client(vim.lsp.get_active_clients())
  wait(function() return #vim.lsp.get_active_clients() == 0 end)
  check('the server ends when it is told to', true)
end

local good, problem = pcall(run)
if not good then
  check('Neovim had no trouble', false, problem)
end
tap:write('1..' .. count .. '\n')
tap:close()
vim.cmd('qall!')
