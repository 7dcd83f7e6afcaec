/** The script `code.js`. */
import { highlightWithGrammar } from './grammars';

window.highlightWithGrammar = highlightWithGrammar;
