import * as z from 'zod';

// The messages of the Amp IDE protocol. Names are those on the wire. There are two dialects: the document's (the
// published integration guide) and the CLI's (what the Amp CLI sends). docs/protocols/amp.md lists the differences.

/** Any client message. The members next to `id` depend on the dialect: see envelope.ts. */
export const ClientMessage = z.object({
  clientRequest: z.looseObject({ id: z.union([z.string(), z.number()]) }),
});

export const PingParams = z.object({ message: z.string() });

export const AuthenticateParams = z.object({ authToken: z.string() });

export const ReadFileParams = z.object({ path: z.string() });

const ByteOffset = z.int().nonnegative();

/** The CLI's edit: replaces the whole file with `fullContent`. */
const FullEdit = z.object({ path: z.string(), fullContent: z.string(), newText: z.never().optional() });

/** The document's edit: replaces the UTF-8 bytes from `start` to `end` (exclusive) with `newText`. */
const ByteRangeEdit = z.object({
  path: z.string(),
  start: ByteOffset,
  end: ByteOffset,
  newText: z.string(),
  fullContent: z.never().optional(),
});

/** Both edits are accepted in both dialects, but not combined in one request. */
export const EditFileParams = z
  .union([FullEdit, ByteRangeEdit], {
    error: 'give path and fullContent, or path, start, end (UTF-8 byte offsets from 0) and newText',
  })
  .refine(
    ({ fullContent, newText }) => (fullContent ?? newText).isWellFormed(),
    'the text has half of a surrogate pair, which no file can hold',
  );

/** No path means the whole workspace. */
export const DocumentDialectDiagnosticsParams = z.object({ path: z.string().optional() });

export const CliDialectDiagnosticsParams = z.object({ path: z.string() });

export const OpenUriParams = z.object({ uri: z.string() });

/** Content of `<port>.json`. The document defines the first two fields; the CLI deletes files without all five. */
export const Lockfile = z.object({
  port: z.int().min(1).max(65_535),
  authToken: z.string(),
  pid: z.int().positive(),
  workspaceFolders: z.array(z.string()),
  ideName: z.string(),
});
export type Lockfile = z.infer<typeof Lockfile>;
