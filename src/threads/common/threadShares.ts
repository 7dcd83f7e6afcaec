/**
 * The greatest shares of one processor, from 0 to 1, that the work takes while a thread is written all the time. What is
 * not counted as its cost comes on top: watching folders, and messages between threads. Together 8 %.
 */
export const threadShares = {
  /** Reading an open thread again. */
  openThread: 0.03,
  /** What can be searched may be older than what is shown. */
  textIndex: 0.025,
  list: 0.015,
  /** Nobody waits for it: heads that are not saved are read again. */
  savedHeads: 0.01,
} as const;
