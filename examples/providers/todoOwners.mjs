// @ts-check
/** Shows the owner of each `TODO(name)` and the number of TODOs. Settings: `owners`, from name to contact. */

const todo = /TODO\((\w+)\):?\s*(.*)/;

/** @typedef {{ owners?: Record<string, string> }} Settings */

export default {
  capabilities() {
    // Files without a TODO are not sent to this provider.
    return { selector: [{ contentContains: 'TODO(' }] };
  },

  /**
   * @param {{ uri: string, content: string }} params
   * @param {Settings} settings
   */
  items({ content }, { owners = {} }) {
    const found = content.split(/\r?\n/).flatMap((text, line) => {
      const match = todo.exec(text);
      return match ? [itemOf(match, line, owners)] : [];
    });
    if (found.length === 0) return [];
    const list = found.map(({ title }) => `- ${title}`).join('\n');
    return [...found, { title: `${found.length} TODOs`, ui: { hover: { markdown: list } }, ai: { content: list } }];
  },
};

/**
 * @param {RegExpExecArray} match
 * @param {number} line
 * @param {Record<string, string>} owners
 */
function itemOf(match, line, owners) {
  const [whole, name = '', what = ''] = match;
  const contact = owners[name];
  const title = `TODO of ${name}${what ? `: ${what}` : ''}`;
  return {
    title,
    ...(contact ? { url: `mailto:${contact}` } : {}),
    ui: { hover: { markdown: contact ? `Ask **${name}** at ${contact}` : `Nobody knows how to reach **${name}**` } },
    ai: { content: `${title}. Owner: ${name}${contact ? ` <${contact}>` : ''}.` },
    range: { start: { line, character: match.index }, end: { line, character: match.index + whole.length } },
  };
}
