import { countOf } from '../../transcript/browser/format';
import { PartView } from '../../transcript/browser/partView';
import type { Part } from '../../transcript/common/entries';
import { TerminalIcon } from '../../webview/browser/icons';
import { PlainText } from '../../transcript/browser/plainText';

interface ApprovalPartProps {
  readonly part: Part;
  /** In the parts of the question. */
  readonly index: number;
  readonly approvalId: string;
}

/** What would happen. What is to be run or written is never cut: it scrolls inside of its own box. */
export function ApprovalPart({ part, index, approvalId }: ApprovalPartProps) {
  switch (part.type) {
    case 'terminal': {
      const text = part.command ?? part.output;
      return (
        <figure class="approval-part">
          <figcaption>
            <TerminalIcon /> Command{linesInWords(text)}
          </figcaption>
          <Block text={text} />
        </figure>
      );
    }
    case 'json':
      return <Block text={part.json} />;
    default:
      return <PartView part={part} index={index} entryId={approvalId} />;
  }
}

/** Said above its box, which may be too low to show that there is more than one. */
function linesInWords(text: string): string {
  const count = text.trimEnd().split(/\r\n|\r|\n/).length;
  return count === 1 ? '' : `, ${countOf(count, 'line')}`;
}

function Block({ text }: { text: string }) {
  return (
    <pre class="approval-block" dir="ltr" tabIndex={0}>
      <PlainText text={text} />
    </pre>
  );
}
