import * as vscode from 'vscode';
import { oneLine } from '../../base/common/oneLine';
import type { ContextItem } from '../common/items/contextItem';
import { asMarkdown } from '../common/items/itemTexts';

/**
 * An item as a hover shows it: title, what it says, link and who says it. Each is markdown of its own, so that a fence
 * that a provider leaves open hides nothing. Providers are not trusted: commands in their links do nothing, html is shown
 * as text, and icons stay words.
 */
export function itemMarkdown({ title, url, hover, provider }: ContextItem): vscode.MarkdownString[] {
  const link = url === undefined ? '' : `[Open](<${inAngles(url)}>) · `;
  const body = hover?.markdown ?? (hover?.text === undefined ? undefined : asMarkdown(hover.text));
  return [
    untrusted(`**${asMarkdown(oneLine(title))}**`),
    ...(body === undefined ? [] : [untrusted(body)]),
    untrusted(`${link}*${asMarkdown(oneLine(provider.title))}*`),
  ];
}

function untrusted(text: string): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(text, false);
  markdown.isTrusted = false;
  markdown.supportHtml = false;
  return markdown;
}

/** Nothing of it ends the link. */
function inAngles(url: string): string {
  return url.replace(/[<>\\\s]/g, encodeURIComponent);
}
