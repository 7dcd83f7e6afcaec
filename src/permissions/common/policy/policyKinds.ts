export const policyKinds = ['read', 'edit', 'run', 'fetch'] as const;
export type PolicyKind = (typeof policyKinds)[number];

/** Key of the policy for agents without their own answer. */
export const allAgentsKey = '*';
