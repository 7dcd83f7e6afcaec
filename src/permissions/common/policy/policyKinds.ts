export const policyKinds = ['read', 'edit', 'run', 'fetch'] as const;
export type PolicyKind = (typeof policyKinds)[number];

/** Key of the policy for agents without their own answer. */
export const allAgentsKey = '*';

/**
 * All MCP clients outside VS Code share one entry in the policy, because they choose their own names, which cannot be
 * verified.
 */
export const mcpClientPolicyId = 'mcp';

/**
 * Keys of the policy that no agent may have as its id, because it would get the answers for others. `amp` is Amp
 * itself.
 */
export const reservedPolicyIds: ReadonlySet<string> = new Set([allAgentsKey, 'amp', mcpClientPolicyId]);
