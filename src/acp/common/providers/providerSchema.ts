import * as z from 'zod';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { LlmProvider } from '../agentBackend';
import { lenientList, RequiredText } from '../session/wireSchema';

const Current = z.looseObject({ apiType: RequiredText, baseUrl: RequiredText });

const Provider = z
  .looseObject({
    providerId: RequiredText,
    supported: lenientList(RequiredText).catch([]),
    required: z.boolean(),
    current: Current.nullish(),
  })
  .transform(({ current, providerId: id, required: isRequired, supported }): LlmProvider => ({
    id,
    supported,
    isRequired,
    ...withoutUndefined({
      current: current ? { apiType: current.apiType, baseUrl: current.baseUrl } : undefined,
    }),
  }));

/**
 * The answer to `providers/list` (a draft, the same in both versions of the protocol). If two providers have the same id,
 * the first is used.
 */
export const LlmProviderList = z
  .looseObject({ providers: lenientList(Provider) })
  .transform(({ providers }) =>
    [...new Map([...providers].reverse().map((each) => [each.id, each])).values()].reverse(),
  );
