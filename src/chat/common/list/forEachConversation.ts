import { userMessageOf } from '../../../base/common/errors';
import { countWithNoun } from '../../../base/common/text/countWithNoun';

interface Named {
  readonly title: string;
}

/**
 * Does something with each conversation, one after the other, also if it fails with others. `done` is the participle, for
 * example `stopped`. @throws the error of the only one, or one that names all with which it failed, and why
 */
export async function forEachConversation<One extends Named>(
  conversations: readonly One[],
  done: string,
  act: (one: One) => Promise<void>,
): Promise<void> {
  const failures: { readonly title: string; readonly error: unknown }[] = [];
  for (const one of conversations) await act(one).catch((error: unknown) => failures.push({ title: one.title, error }));
  const [first] = failures;
  if (!first) return;
  if (conversations.length === 1) throw first.error;
  const byReason = [...Map.groupBy(failures, ({ error }) => userMessageOf(error))];
  const sentences = byReason.map(([reason, some]) => `${some.map(({ title }) => `“${title}”`).join(', ')}: ${reason}`);
  throw new Error(`${countWithNoun(failures.length, 'conversation')} could not be ${done}. ${sentences.join(' ')}`);
}
