/** A byte before and after the number of a provider in the output of a shared worker. */
export const markByte = 0;

/** Returns the mark that precedes the output of a provider. */
export function outputMark(provider: number): string {
  const mark = String.fromCharCode(markByte);
  return `${mark}${provider}${mark}`;
}
