/** Splits a command line as a POSIX shell would, without expansions. @throws SyntaxError for an unclosed quote */
export function splitCommand(line: string): string[] {
  const argv: string[] = [];
  let current: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    const next = line.charAt(at + 1);
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else if (quote === '"' && character === '\\' && /["\\]/.test(next))
        current = `${current ?? ''}${line.charAt(++at)}`;
      else current = `${current ?? ''}${character}`;
    } else if (character === '"' || character === "'") {
      quote = character;
      current ??= '';
    } else if (character === '\\' && next !== '') {
      current = `${current ?? ''}${line.charAt(++at)}`;
    } else if (!/\s/.test(character)) {
      current = `${current ?? ''}${character}`;
    } else if (current !== undefined) {
      argv.push(current);
      current = undefined;
    }
  }
  if (quote !== undefined) throw new SyntaxError(`The agent command is missing a closing ${quote}. Add it.`);
  if (current !== undefined) argv.push(current);
  return argv;
}
