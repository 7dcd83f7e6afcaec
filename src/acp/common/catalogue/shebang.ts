/** The interpreter in a script's first line: an absolute path, or a name that `env` looks up on PATH. */
export function interpreterOf(head: string): string | undefined {
  const line = /^#!([^\r\n]*)/.exec(head)?.[1]?.trim();
  if (line === undefined || line === '') return undefined;
  const [program = '', ...words] = line.split(/\s+/);
  if (!/(^|\/)env$/.test(program)) return program;
  // `env -S NAME=value node --flag`; `-S` may be attached to the name.
  const named = words
    .map((word) => word.replace(/^-[a-zA-Z]*S(?=.)/, ''))
    .find((word) => !word.startsWith('-') && !word.includes('='));
  return named ?? program;
}
