/**
 * Splits a command line into words. Single and double quotes keep spaces together; a backslash is an ordinary
 * character, because Windows paths contain it.
 * @throws SyntaxError for an unclosed quote
 */
export function parseCommandLine(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const character of line) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = `${word ?? ''}${character}`;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (!/\s/.test(character)) {
      word = `${word ?? ''}${character}`;
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (quote !== undefined) throw new SyntaxError(`The command is missing a closing ${quote}. Add it.`);
  return word === undefined ? words : [...words, word];
}

/** Returns a line that `parseCommandLine` splits into these words. */
export function formatCommandLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

function quoteWord(word: string): string {
  if (word !== '' && !/[\s'"]/.test(word)) return word;
  return word.includes('"') ? `'${word.replaceAll("'", `'"'"'`)}'` : `"${word}"`;
}
