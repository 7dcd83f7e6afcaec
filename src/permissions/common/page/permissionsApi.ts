import * as z from 'zod/mini';
import { defineNotification, defineAction, Nothing } from '../../../webview/common/protocol';
import { policyKinds } from '../policy/policyKinds';

/** What the page of permissions and its host say to each other. */

const Kind = z.enum(policyKinds);

/** `inherit` leaves it to the row of all agents, and there to the agent. */
export const Choice = z.enum(['inherit', 'ask', 'allow', 'deny']);
export type Choice = z.infer<typeof Choice>;

export const Cell = z.object({
  /** What the user's settings say. */
  choice: Choice,
  /** What holds in this window when the workspace's settings are stricter. */
  stricter: z.optional(z.enum(['ask', 'deny'])),
});
export type Cell = z.infer<typeof Cell>;

export const PolicyRow = z.object({
  /** Id of the agent, or `*` for all. */
  agent: z.string(),
  title: z.string(),
  /** Without those kinds that the policy does not govern for this agent. */
  cells: z.partialRecord(Kind, Cell),
});
export type PolicyRow = z.infer<typeof PolicyRow>;

export const RuleRow = z.object({
  id: z.string(),
  effect: z.enum(['allow', 'deny']),
  /** What the rule is about, in a few words. */
  title: z.string(),
  /** What it must match exactly, one line each, for example its folder or its environment. */
  matches: z.array(z.string()),
  /** Whom it is for, as the user knows it. */
  who: z.string(),
  /** Since when, and how often it was used. */
  facts: z.string(),
  /** Until when it holds. */
  lasts: z.enum(['always', 'conversation']),
  /** False for what only the agent remembers. */
  canRemove: z.boolean(),
  /** Id of the agent that forgets it when it is restarted; absent for what Backline keeps. */
  remembers: z.optional(z.string()),
});
export type RuleRow = z.infer<typeof RuleRow>;

export const PermissionsView = z.object({
  policy: z.array(PolicyRow),
  rules: z.array(RuleRow),
});
export type PermissionsView = z.infer<typeof PermissionsView>;

export const permissionsRequests = {
  /** The page has been loaded and wants the view. */
  ready: defineAction('ready', Nothing),
  setPolicy: defineAction('setPolicy', z.object({ agent: z.string(), kind: Kind, choice: Choice })),
  removeRule: defineAction('removeRule', z.object({ id: z.string() })),
  /** Restarts the agent: it forgets what only it remembers. */
  restartAgent: defineAction('restartAgent', z.object({ agent: z.string() })),
  addRule: defineAction('addRule', Nothing),
  /** Opens the setting with its list of files. */
  showProtectedFiles: defineAction('showProtectedFiles', Nothing),
};

export const didChangePermissions = defineNotification('didChangePermissions', PermissionsView);
