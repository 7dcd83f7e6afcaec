import { formatCountWithNoun, formatCost, formatTokens } from '../../../transcript/browser/parts/format';
import type { ConversationView } from '../../common/chatView';

const radius = 6;
const circumference = 2 * Math.PI * radius;
/** The share of the context window above which the ring has a warning color. */
const warningShare = 0.8;

export function UsageMeter({ session: { context, usage } }: { session: ConversationView }) {
  const cost = usage?.cost && formatCost(usage.cost);
  const lines = [
    context && `Context: ${formatCountWithNoun(context.used, 'token')} of ${formatTokens(context.size)}`,
    usage?.input !== undefined && `Input: ${formatCountWithNoun(usage.input, 'token')}`,
    usage?.cacheRead !== undefined && `From cache: ${formatCountWithNoun(usage.cacheRead, 'token')}`,
    usage?.output !== undefined && `Output: ${formatCountWithNoun(usage.output, 'token')}`,
    cost && `Cost: ${cost}`,
  ].filter((line) => typeof line === 'string');
  if (lines.length === 0) return null;
  return (
    <span class="usage" role="img" title={lines.join('\n')} aria-label={lines.join(', ')}>
      {context && context.size > 0 ? (
        <UsageRing share={Math.min(context.used / context.size, 1)} />
      ) : (
        (cost ?? formatTokens((usage?.input ?? 0) + (usage?.output ?? 0)))
      )}
    </span>
  );
}

function UsageRing({ share }: { share: number }) {
  return (
    <svg class={`ring ${share >= warningShare ? 'is-full' : ''}`} width="16" height="16" viewBox="0 0 16 16">
      <circle class="ring-track" cx="8" cy="8" r={radius} fill="none" stroke-width="2" />
      <circle
        class="ring-share"
        cx="8"
        cy="8"
        r={radius}
        fill="none"
        stroke-width="2"
        stroke-dasharray={`${share * circumference} ${circumference}`}
        transform="rotate(-90 8 8)"
      />
    </svg>
  );
}
