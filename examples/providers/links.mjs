// @ts-check
/** Adds a link to each match of a pattern. `$1` and `$<name>` in `title` and `url` insert groups of the match. */

/** @typedef {{ pattern: string, title: string, url: string, path?: string, note?: string }} Link */

export default {
  /**
   * @param {object} _params
   * @param {{ links?: Link[] }} settings
   */
  capabilities(_params, { links = [] }) {
    // An empty selector matches no file.
    return { selector: links.map(({ path = '**' }) => ({ path })) };
  },

  /**
   * @param {{ uri: string, content: string }} params
   * @param {{ links?: Link[] }} settings
   */
  items({ content }, { links = [] }) {
    const lines = content.split(/\r?\n/);
    return links.flatMap((link) => {
      const pattern = new RegExp(link.pattern, 'g');
      return lines.flatMap((text, line) => [...text.matchAll(pattern)].map((match) => itemOf(link, match, line)));
    });
  },
};

/**
 * @param {Link} link
 * @param {RegExpExecArray} match
 * @param {number} line
 */
function itemOf({ title, url, note }, match, line) {
  const start = match.index;
  return {
    title: fill(title, match, (text) => text),
    url: fill(url, match, encodeURIComponent),
    ...(note ? { ui: { hover: { markdown: note } }, ai: { content: note } } : {}),
    range: { start: { line, character: start }, end: { line, character: start + match[0].length } },
  };
}

/**
 * @param {string} template
 * @param {RegExpExecArray} match
 * @param {(text: string) => string} encode
 */
function fill(template, match, encode) {
  return template.replace(/\$(?:(\d)|<(\w+)>)/g, (_all, /** @type {string} */ index, /** @type {string} */ name) =>
    encode((index ? match[Number(index)] : match.groups?.[name]) ?? ''),
  );
}
