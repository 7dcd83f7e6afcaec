/** The script `math.js`. */
import { createMath } from './createMath';

window.createMath = createMath;
