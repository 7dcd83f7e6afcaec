/** The interpreter in a script's first line: an absolute path, or a name that `env` looks up on PATH. */
export function interpreterOf(head: string): string | undefined {
  const line = /^#!([^\r\n]*)/.exec(head)?.[1]?.trim();
  if (line === undefined || line === '') return undefined;
  const [program = '', ...words] = line.split(/\s+/);
  if (!/(^|\/)env$/.test(program)) return program;
  // The line can be `env -S NAME=value node --flag`, and `-S` may be attached to the next word.
  const named = words
    .map((word) => word.replace(/^-[a-zA-Z]*S(?=.)/, ''))
    .find((word) => !word.startsWith('-') && !word.includes('='));
  return named ?? program;
}
