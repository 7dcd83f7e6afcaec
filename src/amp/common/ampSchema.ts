import * as z from 'zod';

// The wire of the Amp IDE protocol. Names are the wire's. There are two dialects: the document's (the published
// integration guide) and the CLI's (what the Amp CLI really sends); docs/protocols/amp.md lists where they differ.

/** Any message of a client. What is beside the `id` depends on the dialect: see envelope.ts. */
export const ClientMessage = z.object({
  clientRequest: z.looseObject({ id: z.union([z.string(), z.number()]) }),
});

export const PingParams = z.object({ message: z.string() });

export const AuthenticateParams = z.object({ authToken: z.string() });

export const ReadFileParams = z.object({ path: z.string() });

const ByteOffset = z.int().nonnegative();

/** The CLI's edit: `fullContent` becomes the whole file. */
const FullEdit = z.object({ path: z.string(), fullContent: z.string(), newText: z.never().optional() });

/** The document's edit: the UTF-8 bytes from `start` to `end` (exclusive) become `newText`. */
const ByteRangeEdit = z.object({
  path: z.string(),
  start: ByteOffset,
  end: ByteOffset,
  newText: z.string(),
  fullContent: z.never().optional(),
});

/** Either edit is served in either dialect; one request cannot be both. */
export const EditFileParams = z
  .union([FullEdit, ByteRangeEdit], {
    error: 'give path and fullContent, or path, start, end (UTF-8 byte offsets from 0) and newText',
  })
  .refine(
    ({ fullContent, newText }) => (fullContent ?? newText).isWellFormed(),
    'the text has half of a surrogate pair, which no file can hold',
  );

/** Without a path: the whole workspace. */
export const DocumentDiagnosticsParams = z.object({ path: z.string().optional() });

export const CliDiagnosticsParams = z.object({ path: z.string() });

export const OpenUriParams = z.object({ uri: z.string() });

/** `<port>.json` in the lockfile folder. The document knows the first two fields; the CLI deletes files without all five. */
export const Lockfile = z.object({
  port: z.int().min(1).max(65_535),
  authToken: z.string(),
  pid: z.int().positive(),
  workspaceFolders: z.array(z.string()),
  ideName: z.string(),
});
export type Lockfile = z.infer<typeof Lockfile>;
