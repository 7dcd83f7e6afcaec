import * as z from 'zod';

// The messages of the Amp IDE protocol, with the names that are used on the wire. There are two dialects: that of the
// document (the published integration guide) and that of the CLI (the messages that the Amp CLI sends).
// docs/protocols/amp.md lists the differences.

/** Any message from a client. The members next to `id` depend on the dialect; see envelope.ts. */
export const ClientMessage = z.object({
  clientRequest: z.looseObject({ id: z.union([z.string(), z.number()]) }),
});

export const PingParams = z.object({ message: z.string() });

export const AuthenticateParams = z.object({ authToken: z.string() });

export const ReadFileParams = z.object({ path: z.string() });

const ByteOffset = z.int().nonnegative();

/** An edit in the CLI's dialect: replaces the whole file with `fullContent`. */
const FullEdit = z.object({ path: z.string(), fullContent: z.string(), newText: z.never().optional() });

/** An edit in the document's dialect: replaces the UTF-8 bytes from `start` to `end` (exclusive) with `newText`. */
const ByteRangeEdit = z.object({
  path: z.string(),
  start: ByteOffset,
  end: ByteOffset,
  newText: z.string(),
  fullContent: z.never().optional(),
});

/** Both kinds of edits are accepted in both dialects. One request cannot combine them. */
export const EditFileParams = z
  .union([FullEdit, ByteRangeEdit], {
    error: 'give path and fullContent, or path, start, end (UTF-8 byte offsets from 0) and newText',
  })
  .refine(
    ({ fullContent, newText }) => (fullContent ?? newText).isWellFormed(),
    'the text has half of a surrogate pair, which cannot be saved',
  );

/** Parameters of a diagnostics request. Without a path, it applies to the whole workspace. */
export const DocumentDialectDiagnosticsParams = z.object({ path: z.string().optional() });

export const CliDialectDiagnosticsParams = z.object({ path: z.string() });

export const OpenUriParams = z.object({ uri: z.string() });

/** Content of `<port>.json`. The document defines two fields. The CLI deletes files that do not have all five. */
export const Lockfile = z.object({
  port: z.int().min(1).max(65_535),
  authToken: z.string(),
  pid: z.int().positive(),
  workspaceFolders: z.array(z.string()),
  ideName: z.string(),
});
export type Lockfile = z.infer<typeof Lockfile>;
