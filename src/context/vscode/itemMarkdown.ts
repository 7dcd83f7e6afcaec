import * as vscode from 'vscode';
import { oneLine } from '../../base/common/text/oneLine';
import type { ContextItem } from '../common/items/contextItem';
import { escapeMarkdown } from '../common/items/itemTexts';

/** Returns the hover in separate strings, so that an open code block or untrusted link cannot affect the rest. */
export function itemMarkdown({ title, url, hover, provider }: ContextItem): vscode.MarkdownString[] {
  const link = url === undefined ? '' : `[Open](<${inAngles(url)}>) · `;
  const body = hover?.markdown ?? (hover?.text === undefined ? undefined : escapeMarkdown(hover.text));
  return [
    untrusted(`**${escapeMarkdown(oneLine(title))}**`),
    ...(body === undefined ? [] : [untrusted(body)]),
    untrusted(`${link}*${escapeMarkdown(oneLine(provider.title))}*`),
  ];
}

function untrusted(text: string): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(text, false);
  markdown.isTrusted = false;
  markdown.supportHtml = false;
  return markdown;
}

/** Encodes characters in a URL that would end the link. */
function inAngles(url: string): string {
  return url.replace(/[<>\\\s]/g, encodeURIComponent);
}
