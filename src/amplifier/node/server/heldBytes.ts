import { documented } from './apiFailure';

/** The bodies that the server is reading at this moment, of all clients together. */
export class HeldBytes {
  private held = 0;

  constructor(private readonly max: number) {}

  get count(): number {
    return this.held;
  }

  /** What `read` holds is let go of when it ends, however it ends. */
  async during<T>(read: (hold: (bytes: number) => void) => Promise<T>): Promise<T> {
    let own = 0;
    let isOver = false;
    const hold = (bytes: number): void => {
      // What comes after the end is not kept.
      if (isOver) return;
      if (this.held + bytes > this.max) {
        throw documented('RATE_LIMITED', 'Too much is being sent to this server at once. Try again in a moment.');
      }
      this.held += bytes;
      own += bytes;
    };
    try {
      return await read(hold);
    } finally {
      isOver = true;
      this.held -= own;
    }
  }
}
