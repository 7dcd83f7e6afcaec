// A program: the demo agent with a sign-in, LLM providers and the draft protocol, for host tests.
import '../../fake/acp/demo/main';
