/** What an agent wants to do, as far as the policy tells it apart. */
export const policyKinds = ['read', 'edit', 'run', 'fetch'] as const;
export type PolicyKind = (typeof policyKinds)[number];

/** In the place of an agent's id: every agent that has no word of its own about a kind. */
export const everyAgent = '*';
