import { chatRequests } from '../../common/page/chatApi';
import type { OptionView } from '../../common/chatView';
import { usePage, usePageState } from '../chatPageContext';
import { useChanges } from '../../../webview/browser/useChanges';

const maxOffers = 3;

/** Buttons with alternatives to a rejected option, below its error message. */
export function OptionOffers({ message, onPick }: { message: string | undefined; onPick?: () => void }) {
  const page = usePage();
  const { newOptions } = usePageState();
  useChanges(page.drafts.onDidChange);
  const refused = newOptions.find((option) => isRefused(option, message));
  if (refused?.type !== 'select') return null;
  const { id: optionId, choices, value: refusedValue } = refused;
  const use = async (value: string): Promise<void> => {
    onPick?.();
    await page.ask(chatRequests.setOption, { optionId, value });
    if (!page.drafts.isEmpty) await page.send();
  };
  return (
    <div class="banner-actions">
      {choices
        .filter(({ value }) => value !== refusedValue)
        .slice(0, maxOffers)
        .map(({ name, value }) => (
          <button key={value} type="button" class="button" onClick={() => void use(value)}>
            {page.drafts.isEmpty ? `Use ${name}` : `Send with ${name}`}
          </button>
        ))}
    </div>
  );
}

function isRefused(option: OptionView, message: string | undefined): boolean {
  return option.type === 'select' && option.problem !== undefined && option.problem === message;
}
