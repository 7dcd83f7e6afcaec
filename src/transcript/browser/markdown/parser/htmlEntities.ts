/**
 * Stands in for the package `entities` in pages: the browser knows the names of all characters, so that a table of them need
 * not be loaded. markdown-it hands in what it has recognised as a reference.
 */

/** Complete references, `&name;` or `&#…;`, become their characters; everything else stays as it is. */
export function decodeHTMLStrict(text: string): string {
  return text.replace(/&(?:#[0-9a-z]+|[0-9a-z]+);/gi, characterOf);
}

function characterOf(reference: string): string {
  const element = document.createElement('p');
  element.innerHTML = reference;
  const decoded = element.textContent;
  // A browser also reads `&not` at the beginning of `&notit;`.
  return decoded.length > 1 && decoded.endsWith(';') ? reference : decoded;
}
