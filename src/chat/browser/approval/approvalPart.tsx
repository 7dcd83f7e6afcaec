import { DiffView } from '../../../transcript/browser/parts/diffView';
import { PartView } from '../../../transcript/browser/parts/partView';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import type { Part } from '../../../transcript/common/entries';

interface ApprovalPartProps {
  readonly part: Part;
  readonly index: number;
  /** Whether the title of the card has the file and the facts about its change. */
  readonly isHeadless: boolean;
}

/** A part of an approval. Commands and content to be written are never truncated. */
export function ApprovalPart({ part, index, isHeadless }: ApprovalPartProps) {
  switch (part.type) {
    case 'terminal':
      return <PlainBlock text={part.command ?? part.output} />;
    case 'json':
      return <PlainBlock text={part.json} />;
    case 'link':
      // The address is shown instead of the title, because a title may be misleading.
      return <PlainBlock text={part.uri} />;
    case 'diff':
      return <DiffView part={part} index={index} isCompact isHeadless={isHeadless} />;
    default:
      return <PartView part={part} index={index} />;
  }
}

function PlainBlock({ text }: { text: string }) {
  return (
    <pre class="approval-block" dir="ltr">
      <UntrustedText text={text} />
    </pre>
  );
}
