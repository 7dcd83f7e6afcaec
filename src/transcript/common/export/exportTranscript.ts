import type { Entry } from '../entries';
import type { ExportHeader } from './exportHeader';
import { toHtml } from './html';
import { toJsonExport } from './jsonExport';
import { toMarkdown } from './markdown';

const writers = { markdown: toMarkdown, html: toHtml, json: toJsonExport };

export function exportTranscript(
  header: ExportHeader,
  entries: readonly Entry[],
  format: keyof typeof writers,
): string {
  return writers[format](header, entries);
}
