// lock_node_step.h and what it includes, as Rust says it. Rust reads no C headers: layout.c has the compiler say how
// large the types are there, and node.rs compares.
#[repr(C)]
pub struct LockParams {
    pub n: i32,
    pub hops: i32,
}

#[repr(C)]
#[derive(Default)]
pub struct Node {
    pub held: bool,
    pub epoch: i32,
}

#[repr(C)]
#[derive(Default)]
pub struct NodeSends {
    pub transfer: bool,
    pub transfer_epoch: i32,
    pub transfer_to: i32,
}

#[repr(C)]
#[derive(Default)]
pub struct TpMessage {
    pub kind: i32,
    pub field: [i32; 8],
}

// Enumerations are numbers here: an enum of Rust that holds a number with no name is undefined behaviour.
pub type TpVerdict = u32;
pub const TP_DONE: TpVerdict = 0;
pub const TP_DISABLED: TpVerdict = 1;
pub const TP_RANGE: TpVerdict = 2;
pub type NodeAction = u32;

pub const TP_NODES: i32 = 64;
pub const TP_BYTES: usize = 36;
pub const LOCK_TRANSFER: i32 = 0;

extern "C" {
    pub static steps_layout: [usize; 7];
    pub fn node_init(this: *mut Node, params: *const LockParams, i: i32);
    pub fn node_act(
        this: *mut Node,
        params: *const LockParams,
        i: i32,
        out: *mut NodeSends,
        action: *mut NodeAction,
    ) -> TpVerdict;
    pub fn node_take(
        this: *mut Node,
        params: *const LockParams,
        i: i32,
        out: *mut NodeSends,
        action: *mut NodeAction,
        m: *const TpMessage,
    ) -> TpVerdict;
    pub fn tp_next(i: i32, n: i32) -> i32;
    pub fn tp_message_encode(bytes: *mut u8, m: *const TpMessage);
    pub fn tp_message_decode(m: *mut TpMessage, bytes: *const u8, size: usize) -> bool;
    pub fn lock_message_valid(m: *const TpMessage, params: *const LockParams) -> bool;
}
