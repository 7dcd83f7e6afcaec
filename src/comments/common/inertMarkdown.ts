/** Invisible and without meaning in Markdown: what is separated by it is no link, image or HTML any more. */
const separator = '\u2060';

/**
 * Makes links, images and HTML of a Markdown text plain text, also where code is: what an agent says must not lead to commands,
 * to files outside of the workspace or to pictures on other servers. Web addresses that stand in the text stay readable.
 */
export function inertMarkdown(text: string): string {
  return text.replaceAll(/\](?=[([:])/g, `]${separator}`).replaceAll(/<(?=[a-z/!?])/gi, `<${separator}`);
}
