import * as z from 'zod/mini';
import { defineNotification, defineRequestWithoutResult, NoValue } from '../../../webview/common/protocol';
import { policyKinds } from '../policy/policyKinds';

// Messages between the permissions page and its host.

const Kind = z.enum(policyKinds);

/** `inherit`: for one agent, the answer for all agents; for all agents, the default of each kind. */
export const PolicyChoice = z.enum(['inherit', 'ask', 'allow', 'deny']);
export type PolicyChoice = z.infer<typeof PolicyChoice>;

export const PolicyCell = z.object({
  /** The value in the user settings. */
  choice: PolicyChoice,
  /** The effective answer, if workspace settings are stricter than the user settings. */
  stricter: z.optional(z.enum(['ask', 'deny'])),
});
export type PolicyCell = z.infer<typeof PolicyCell>;

export const PolicyRow = z.object({
  /** Id of the agent, or `*` for all agents. */
  agent: z.string(),
  title: z.string(),
  /** The answers by kind. Omits kinds that the policy does not control for this agent. */
  cells: z.partialRecord(Kind, PolicyCell),
});
export type PolicyRow = z.infer<typeof PolicyRow>;

export const RuleRow = z.object({
  id: z.string(),
  effect: z.enum(['allow', 'deny']),
  /** A short description of the action. */
  title: z.string(),
  /** The exact conditions, one per line, such as the folder or environment variables. */
  matches: z.array(z.string()),
  /** Display name of the agent, or of all agents. */
  who: z.string(),
  /** Creation date and usage of the rule, as text. */
  facts: z.string(),
  lasts: z.enum(['always', 'conversation']),
  /** Whether the user can remove the entry. False for answers that only the agent stores. */
  canRemove: z.boolean(),
  /** Id of the agent that stores the answer until it is restarted. Absent for rules. */
  remembers: z.optional(z.string()),
});
export type RuleRow = z.infer<typeof RuleRow>;

export const PermissionsView = z.object({
  policy: z.array(PolicyRow),
  rules: z.array(RuleRow),
});
export type PermissionsView = z.infer<typeof PermissionsView>;

export const permissionsRequests = {
  /** Sent when the page has loaded, to request the view. */
  ready: defineRequestWithoutResult('ready', NoValue),
  setPolicy: defineRequestWithoutResult('setPolicy', z.object({ agent: z.string(), kind: Kind, choice: PolicyChoice })),
  removeRule: defineRequestWithoutResult('removeRule', z.object({ id: z.string() })),
  /** Restarts an agent, which clears the answers that it stores. */
  restartAgent: defineRequestWithoutResult('restartAgent', z.object({ agent: z.string() })),
  addRule: defineRequestWithoutResult('addRule', NoValue),
  /** Opens the setting `backline.protectedFiles`. */
  showProtectedFiles: defineRequestWithoutResult('showProtectedFiles', NoValue),
};

export const didChangePermissions = defineNotification('didChangePermissions', PermissionsView);
