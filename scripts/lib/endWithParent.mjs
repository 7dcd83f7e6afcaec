// Loaded before a program by `node --import`: when the process that started it ends, or a signal comes, it ends what it
// has started and then itself. The processes that it forks inherit this.
import { endWhenInterrupted } from './processes.mjs';

endWhenInterrupted();
