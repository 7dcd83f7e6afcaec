import type { Entry } from '../entries';
import type { ExportHeader } from './exportHead';
import { toHtml } from './html';
import { toJsonExport } from './jsonExport';
import { toMarkdown } from './markdown';

export function exportTranscript(
  head: ExportHeader,
  entries: readonly Entry[],
  format: 'markdown' | 'html' | 'json',
): string {
  switch (format) {
    case 'markdown':
      return toMarkdown(head, entries);
    case 'html':
      return toHtml(head, entries);
    case 'json':
      return toJsonExport(head, entries);
  }
}
