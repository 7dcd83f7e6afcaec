import * as z from 'zod';
import { ToolContent } from './sessionEvents';

/**
 * The `context` of `approval:required`, shown to the user. All members are optional, because servers may send anything.
 * A member with an invalid value is omitted here and shown among the unknown members.
 */
export const ApprovalContext = z.looseObject({
  /** Display name of the agent. */
  agent: z.string().optional().catch(undefined),
  /** The agent's current mode, as it reports it. */
  mode: z.string().optional().catch(undefined),
  /** `read`, `edit`, `execute`… */
  kind: z.string().optional().catch(undefined),
  /** A shell command line, or a program and its arguments. */
  command: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  /** Absolute path. */
  cwd: z.string().optional().catch(undefined),
  /** Absolute path of the session's folder, to recognize commands that run elsewhere. */
  folder: z.string().optional().catch(undefined),
  /** Additional environment variables of the command. */
  env: z.record(z.string(), z.string()).optional().catch(undefined),
  /** Absolute paths of affected files. */
  paths: z.array(z.string()).optional().catch(undefined),
  content: z.array(ToolContent).optional().catch(undefined),
  /** The complete input of the tool call. */
  input: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** Input members that lift restrictions, for example `dangerouslyDisableSandbox`, with their values. */
  escalations: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** Sentences that explain why rules do not apply, for example because of a protected file. */
  warnings: z.array(z.string()).optional().catch(undefined),
  /** Short descriptions of what an "always" option covers, by option name. */
  scopes: z.record(z.string(), z.string()).optional().catch(undefined),
  /** Names of options that are misleading. */
  misnamed: z.array(z.string()).optional().catch(undefined),
});
export type ApprovalContext = z.infer<typeof ApprovalContext>;
