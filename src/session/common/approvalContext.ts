import * as z from 'zod';
import { ToolContent } from './sessionEvents';

/**
 * The `context` of `approval:required`: what the user sees of a question. Every member is optional, since servers of others
 * send what they like; one of another shape is left out, and its text is shown among the unknown members.
 */
export const ApprovalContext = z.looseObject({
  /** Who asks, as the user knows it. */
  agent: z.string().optional().catch(undefined),
  /** The mode the agent says it works in. */
  mode: z.string().optional().catch(undefined),
  /** `read`, `edit`, `execute`… */
  kind: z.string().optional().catch(undefined),
  /** A line for a shell, or a program and its arguments. */
  command: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  /** Absolute. */
  cwd: z.string().optional().catch(undefined),
  /** The session's folder, absolute: a command that runs elsewhere says where. */
  folder: z.string().optional().catch(undefined),
  /** What is added to the environment of the command. */
  env: z.record(z.string(), z.string()).optional().catch(undefined),
  /** Absolute; what would be touched. */
  paths: z.array(z.string()).optional().catch(undefined),
  content: z.array(ToolContent).optional().catch(undefined),
  /** The tool call's own input, whole. */
  input: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** Members of the input that lift a restriction, for example `dangerouslyDisableSandbox`, with their values. */
  escalations: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** Why this is asked whatever the rules say, in a sentence each, for example about a file that makes things run. */
  warnings: z.array(z.string()).optional().catch(undefined),
  /** By the name of an option for always: what it stands for, in a few words. */
  scopes: z.record(z.string(), z.string()).optional().catch(undefined),
  /** Names of options that say something else than they do. */
  misnamed: z.array(z.string()).optional().catch(undefined),
});
export type ApprovalContext = z.infer<typeof ApprovalContext>;
