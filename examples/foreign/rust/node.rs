// A node of the lock's ring in Rust: node NUMBER NODES TURNS. Packets come from standard input and go to standard
// output; what happens is said on standard error. It ends when it has passed the lock on TURNS times.
use std::io::{Read, Write};
use std::mem::{align_of, size_of};
use std::process::exit;

mod steps;
use steps::*;

struct Ring {
    i: i32,
    params: LockParams,
    this: Node,
    out: NodeSends,
    action: NodeAction,
}

impl Ring {
    fn new(i: i32, n: i32) -> Ring {
        let params = LockParams { n, hops: 0 };
        let mut this = Node::default();
        unsafe { node_init(&mut this, &params, i) };
        Ring { i, params, this, out: NodeSends::default(), action: 0 }
    }

    /// Passes the lock on if this node has it.
    fn pass(&mut self) -> Result<bool, String> {
        let verdict = unsafe { node_act(&mut self.this, &self.params, self.i, &mut self.out, &mut self.action) };
        if verdict == TP_RANGE {
            return Err("the number of the next hop does not fit".into());
        }
        if verdict == TP_DISABLED {
            return Ok(false);
        }
        if self.out.transfer_to != unsafe { tp_next(self.i, self.params.n) } {
            return Err("the pipe leads to another node".into());
        }
        let mut message = TpMessage { kind: LOCK_TRANSFER, ..TpMessage::default() };
        message.field[0] = self.out.transfer_epoch;
        let mut packet = [0; TP_BYTES];
        unsafe { tp_message_encode(packet.as_mut_ptr(), &message) };
        let mut next = std::io::stdout();
        next.write_all(&packet).and_then(|_| next.flush()).map_err(|_| "the next node is gone")?;
        eprintln!("node {}, Rust: passes the lock on, epoch {}", self.i, self.out.transfer_epoch);
        Ok(true)
    }

    /// Waits for a packet and takes the step that it asks for.
    fn receive(&mut self) -> Result<(), String> {
        let mut packet = [0; TP_BYTES];
        let mut message = TpMessage::default();
        std::io::stdin().read_exact(&mut packet).map_err(|_| "the node before is gone")?;
        let understood = unsafe {
            tp_message_decode(&mut message, packet.as_ptr(), packet.len()) && lock_message_valid(&message, &self.params)
        };
        if !understood {
            eprintln!("node {}, Rust: refuses what is no message", self.i);
            return Ok(());
        }
        let verdict =
            unsafe { node_take(&mut self.this, &self.params, self.i, &mut self.out, &mut self.action, &message) };
        if verdict == TP_DONE {
            eprintln!("node {}, Rust: has the lock, epoch {}", self.i, self.this.epoch);
        } else {
            eprintln!("node {}, Rust: takes no step for an old token", self.i);
        }
        Ok(())
    }
}

/// The types of steps.rs are laid out as those of the headers that the C was compiled with.
fn check_layout() -> Result<(), String> {
    let ours = [
        size_of::<LockParams>(),
        size_of::<Node>(),
        align_of::<Node>(),
        size_of::<NodeSends>(),
        align_of::<NodeSends>(),
        size_of::<TpMessage>(),
        TP_BYTES,
    ];
    let theirs = unsafe { &steps_layout };
    if &ours == theirs {
        return Ok(());
    }
    Err(format!("steps.rs is not what the headers say: {:?} here, {:?} there", ours, theirs))
}

fn number(text: &str, low: i32, high: i32) -> Result<i32, String> {
    match text.parse() {
        Ok(value) if low <= value && value <= high => Ok(value),
        _ => Err(format!("{}: a whole number from {} to {}", text, low, high)),
    }
}

fn run() -> Result<(), String> {
    check_layout()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.len() != 3 {
        return Err("usage: node NUMBER NODES TURNS".into());
    }
    let n = number(&arguments[1], 1, TP_NODES)?;
    let mut ring = Ring::new(number(&arguments[0], 0, n - 1)?, n);
    let mut left = number(&arguments[2], 1, 1_000_000)?;
    while left > 0 {
        if ring.pass()? {
            left -= 1;
        } else {
            ring.receive()?;
        }
    }
    Ok(())
}

fn main() {
    if let Err(reason) = run() {
        eprintln!("node: {}", reason);
        exit(1);
    }
}
