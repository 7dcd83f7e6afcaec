/**
 * The greatest shares of one processor, from 0 to 1, that work may take while Amp writes a thread continuously. With
 * one open thread, they are 8 % together. Watching folders and the messages to and from the worker are not counted.
 */
export const processorShares = {
  /** Reading an open thread again; each one has this share. */
  openThread: 0.03,
  /** What can be searched may be older than what is shown. */
  textIndex: 0.02,
  /** Reading the changed heads again. */
  list: 0.015,
  /** Nobody waits for it: heads that are not saved are read again. */
  savedHeads: 0.015,
} as const;
