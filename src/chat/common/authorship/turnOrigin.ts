import * as z from 'zod';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { findOption } from '../../../session/common/optionChoices';
import type { BackendState } from '../../../session/common/sessionBackend';
import type { ConfigOption } from '../../../session/common/sessionEvents';

/** How the changes of a turn were made, as it was when its prompt was sent. What is not known is absent. */
export const TurnOrigin = z.object({
  /** The agent's id of the model, and the name that it shows. */
  model: z.object({ id: z.string(), name: z.string() }).optional().catch(undefined),
  /** Version of the agent's program. */
  agentVersion: z.string().optional().catch(undefined),
  /** Id of the commit that was checked out in the agent's folder. */
  head: z.string().optional().catch(undefined),
});
export type TurnOrigin = z.infer<typeof TurnOrigin>;

/** Returns the model that is chosen in the options of a session. */
export function chosenModel(options: readonly ConfigOption[]): TurnOrigin['model'] {
  const option = findOption(options, 'model');
  if (option?.type !== 'select') return undefined;
  const { choices, value: id } = option;
  return { id, name: choices.find(({ value }) => value === id)?.name ?? id };
}

export function turnOrigin(
  options: readonly ConfigOption[],
  agent: BackendState | undefined,
  head: string | undefined,
): TurnOrigin {
  const agentVersion = agent?.kind === 'ready' ? agent.version : undefined;
  return withoutUndefined({ model: chosenModel(options), agentVersion, head });
}
