/**
 * Replaces the package `entities` in pages. The browser decodes the references that markdown-it has recognized, so no
 * table of names is needed.
 */

/** Decodes complete references (`&name;`, `&#…;`). */
export function decodeHTMLStrict(text: string): string {
  return text.replace(/&(?:#[0-9a-z]+|[0-9a-z]+);/gi, decodeReference);
}

function decodeReference(reference: string): string {
  const element = document.createElement('p');
  element.innerHTML = reference;
  const decoded = element.textContent;
  // Browsers also decode `&not` at the start of `&notit;`, so an incomplete result is rejected.
  return decoded.length > 1 && decoded.endsWith(';') ? reference : decoded;
}
