import { toFileUri } from '../../base/common/addresses/fileUri';
import type { Diagnostic, DiagnosticSeverity, FileDiagnostics } from '../../editor/common/editorPort';
import { toLineCol } from './notifications';

const severityWords: Record<DiagnosticSeverity, string> = {
  error: 'error',
  warning: 'warning',
  information: 'info',
  hint: 'hint',
};

/** Returns the result in the document's dialect: a flat array with one item per diagnostic. */
export function toDocumentDialectDiagnostics(files: readonly FileDiagnostics[]): object[] {
  return files.flatMap(({ path, diagnostics }) => {
    const uri = toFileUri(path);
    return diagnostics.map(({ range, severity, message, source, code }) => ({
      path,
      uri,
      range: { start: toLineCol(range.start), end: toLineCol(range.end) },
      severity: severityWords[severity],
      message,
      source,
      code,
    }));
  });
}

/** Returns the result in the CLI's dialect: entries by file. Every field of a diagnostic is required. */
export function toCliDialectDiagnostics(files: readonly FileDiagnostics[]): object {
  const entries = files.map(({ path, diagnostics }) => ({
    uri: toFileUri(path),
    diagnostics: diagnostics.map((diagnostic) => ({
      range: {
        startLine: diagnostic.range.start.line,
        startCharacter: diagnostic.range.start.character,
        endLine: diagnostic.range.end.line,
        endCharacter: diagnostic.range.end.character,
      },
      severity: severityWords[diagnostic.severity],
      description: describe(diagnostic),
      lineContent: diagnostic.lineText,
      startOffset: diagnostic.startOffset,
      endOffset: diagnostic.endOffset,
    })),
  }));
  return { entries };
}

/** Returns the message with source and code appended. The CLI's schema has no fields for them, but agents need them. */
function describe({ message, source, code }: Diagnostic): string {
  const origin = [source, code].filter(Boolean).join(' ');
  return origin ? `${message} (${origin})` : message;
}
