// The page of the harness's own tests.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as z from 'zod/mini';
import { HostConnection } from '../../../src/webview/browser/hostConnection';
import { defineRequest } from '../../../src/webview/common/protocol';

const greet = defineRequest('test/greet', z.object({ name: z.string() }), z.object({ text: z.string() }));
const connection = new HostConnection(window.acquireVsCodeApi());
connection.start(window);

function Page() {
  const [text, setText] = useState('…');
  useEffect(() => {
    connection.request(greet, { name: 'page' }).then(
      (answer) => setText(answer.text),
      () => setText('No answer'),
    );
  }, []);
  return <p>{text}</p>;
}

const root = document.getElementById('root');
if (root) render(<Page />, root);
