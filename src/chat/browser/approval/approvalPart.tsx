import { PartView } from '../../../transcript/browser/parts/partView';
import { PlainText } from '../../../transcript/browser/parts/plainText';
import type { Part } from '../../../transcript/common/entries';

interface ApprovalPartProps {
  readonly part: Part;
  /** In the parts of the question. */
  readonly index: number;
  readonly approvalId: string;
}

/** What would happen. What is to be run or written is never cut. */
export function ApprovalPart({ part, index, approvalId }: ApprovalPartProps) {
  switch (part.type) {
    case 'terminal':
      return <Block text={part.command ?? part.output} />;
    case 'json':
      return <Block text={part.json} />;
    case 'link':
      // The address itself: its words may say something else.
      return <Block text={part.uri} />;
    default:
      return <PartView part={part} index={index} entryId={approvalId} />;
  }
}

function Block({ text }: { text: string }) {
  return (
    <pre class="approval-block" dir="ltr">
      <PlainText text={text} />
    </pre>
  );
}
