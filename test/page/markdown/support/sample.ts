// A long answer with everything answers have in them.
export const sample = `# How the queue works

The queue keeps **one prompt at a time** with the agent; others *wait*, and ~~get lost~~ are kept in [the log](src/chat/node/conversationStore.ts:120).
It is described in \`docs/architecture.md\`, the loop is at src/queue.ts:42, and more is on [the site](https://example.com/a?b=c "Title").

## What happens on send

1. The draft is checked.
2. It is put into the queue:
   - as text,
   - with attachments, like \`src/a.ts:12\`
     - and their images
3. The first prompt is sent:

   \`\`\`bash
   npm run test:unit -- queue   # only these
   \`\`\`

### Left to do

- [x] Keep the draft
- [ ] Retry after a failure
- [ ] Say how long it waits

> A prompt that waits can be edited.
>
> > Even one that was sent.

\`\`\`ts title="src/queue.ts"
import { Emitter, type Event } from '../base/event';

/** Sends prompts one after the other. */
export class Queue<T extends object> implements Disposable {
  private readonly waiting: T[] = [];
  private count = 0x1f;

  async send(prompt: T, { force = false } = {}): Promise<boolean> {
    if (!force && this.waiting.length > 12) throw new Error(\`too many: \${this.count}\`);
    this.waiting.push(prompt); // a long line that does not fit into a narrow panel and has to be scrolled to be read
    return /^a+$/.test('aaa');
  }
}
\`\`\`

| Setting | Default | What it does |
|:--|:-:|--:|
| \`queue.size\` | 12 | how many prompts wait |
| \`queue.retry\` | false | send again after a **failure** |

#### Python, JSON and a diff

\`\`\`python
@dataclass
class Point:
    x: int = 0  # the first
    def norm(self) -> float:
        return (self.x ** 2) ** 0.5 if self.x is not None else None
\`\`\`

\`\`\`json
{ "name": "backline", "version": 1.5, "private": true, "files": [null] }
\`\`\`

\`\`\`diff
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,2 @@
-const a = 1;
+const a = 2;
\`\`\`

---

That is **all**. An HTML tag like <b>this</b> is text, and so is [a bad link](javascript:alert(1)).
`;
