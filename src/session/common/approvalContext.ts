import * as z from 'zod';
import { ToolContent } from './sessionEvents';

/** The `context` of `approval:required`. Invalid members are omitted, and the user sees them as unknown. */
export const ApprovalContext = z.looseObject({
  agent: z.string().optional().catch(undefined),
  /** Title of the subagent that asks. */
  subagent: z.string().optional().catch(undefined),
  mode: z.string().optional().catch(undefined),
  /** The kind of action, for example `read`, `edit` or `execute`. */
  kind: z.string().optional().catch(undefined),
  /** A shell command line, or a program and its arguments. */
  command: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  /** Working directory of the command, as an absolute path. */
  cwd: z.string().optional().catch(undefined),
  /** Absolute path of the session's folder. Used to recognize commands that run in other folders. */
  folder: z.string().optional().catch(undefined),
  env: z.record(z.string(), z.string()).optional().catch(undefined),
  /** Absolute paths of affected files. */
  paths: z.array(z.string()).optional().catch(undefined),
  content: z.array(ToolContent).optional().catch(undefined),
  input: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** Input members that lift restrictions, for example `dangerouslyDisableSandbox`, with their values. */
  escalations: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** Sentences that explain why rules do not apply, for example because of a protected file. */
  warnings: z.array(z.string()).optional().catch(undefined),
  /** Short descriptions of what an "always" option covers, by option name. */
  scopes: z.record(z.string(), z.string()).optional().catch(undefined),
  misnamed: z.array(z.string()).optional().catch(undefined),
});
export type ApprovalContext = z.infer<typeof ApprovalContext>;
