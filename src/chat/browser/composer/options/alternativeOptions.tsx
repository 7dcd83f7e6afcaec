import { chatRequests } from '../../../common/page/chatApi';
import type { OptionView } from '../../../common/chatView';
import { usePage, usePageState } from '../../chatPageContext';
import { useRedrawOnEvent } from '../../../../webview/browser/hooks/useRedrawOnEvent';

const maxAlternatives = 3;

export function RetryWithOptionButtons({ message, onPick }: { message: string | undefined; onPick?: () => void }) {
  const page = usePage();
  const { newOptions } = usePageState();
  useRedrawOnEvent(page.composerDraft.onDidChange);
  const refused = newOptions.find((option) => hasProblem(option, message));
  if (refused?.type !== 'select') return null;
  const { id: optionId, choices, value: refusedValue } = refused;
  const use = async (value: string): Promise<void> => {
    onPick?.();
    await page.request(chatRequests.setOption, { optionId, value });
    if (!page.composerDraft.isEmpty) await page.send();
  };
  return (
    <div class="banner-actions">
      {choices
        .filter(({ value }) => value !== refusedValue)
        .slice(0, maxAlternatives)
        .map(({ name, value }) => (
          <button key={value} type="button" class="button" onClick={() => void use(value)}>
            {page.composerDraft.isEmpty ? `Use ${name}` : `Send with ${name}`}
          </button>
        ))}
    </div>
  );
}

function hasProblem(option: OptionView, message: string | undefined): boolean {
  return option.type === 'select' && option.problem !== undefined && option.problem === message;
}
