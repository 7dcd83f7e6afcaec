import * as z from 'zod';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { LlmProvider } from '../../../session/common/sessionBackend';
import { list, Text } from '../session/wireSchema';

const Current = z.looseObject({ apiType: Text, baseUrl: Text });

const Provider = z
  .looseObject({
    providerId: Text,
    supported: list(Text).catch([]),
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
  .looseObject({ providers: list(Provider) })
  .transform(({ providers }) =>
    [...new Map([...providers].reverse().map((each) => [each.id, each])).values()].reverse(),
  );
