import * as z from 'zod';

/** The parameters of `_session/steering` (of Claude and Codex, the same in both versions of the protocol). */
export const SteerSession = z.looseObject({
  sessionId: z.string(),
  prompt: z.array(
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('text'), text: z.string() }),
      z.looseObject({ type: z.literal('resource_link'), uri: z.string() }),
      z.looseObject({ type: z.literal('resource'), resource: z.looseObject({ uri: z.string() }) }),
      z.looseObject({ type: z.enum(['image', 'audio']) }),
    ]),
  ),
});

/** In the answer to `initialize`: prompts can be added to a turn that runs. */
export const steeringOffer = { steering: { supported: true } } as const;
export const steered = { outcome: 'injected' } as const;
export const notSteered = { outcome: 'promptRequired', reason: 'noRunningTurn' } as const;
