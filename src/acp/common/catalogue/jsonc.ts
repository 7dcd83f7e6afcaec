/**
 * Reads JSON as VS Code keeps it in settings: with comments and commas before a closing bracket.
 * @throws SyntaxError
 */
export function parseJsonc(text: string): unknown {
  // Strings come first, so that nothing inside one is taken for a comment or a comma.
  const token = /"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*[\]}])/g;
  return JSON.parse(text.replace(/^\ufeff/, '').replace(token, (found) => (found.startsWith('"') ? found : ' ')));
}
