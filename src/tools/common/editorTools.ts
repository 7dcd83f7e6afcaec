import type { Disposable } from '../../base/common/disposable';
import { callHierarchyTool } from './editor/callHierarchy';
import { editFileTool } from './editor/editFile';
import { findSymbolTool } from './editor/findSymbol';
import { hoverTool } from './editor/hover';
import { outlineTool } from './editor/outline';
import { definitionTool, implementationsTool, referencesTool } from './editor/places';
import { problemsTool } from './problems/problems';
import { readFileTool } from './editor/readFile';
import { fixesTool } from './editor/fixes';
import { formatTool } from './editor/format';
import { renameTool } from './editor/rename';
import { searchTool } from './editor/search';
import { tasksTool } from './running/tasks';
import { testsTool } from './running/tests';
import { DiffTool, openEditorsTool, openFileTool, selectionTool } from './editor/windowTools';
import type { Tool, ToolProvider } from './toolProvider';
import type { ToolPorts } from './toolPorts';

export const toolInstructions =
  "Tools of the user's VS Code window. They return exact definitions, references, types and problems from language servers, and unsaved text: prefer them to searching the disk. Name places by path and symbol, and add the line if the symbol occurs more than once. Lines and columns are 1-based.";

export class EditorTools implements ToolProvider, Disposable {
  private readonly diffTool: DiffTool;
  private readonly allTools: readonly Tool[];
  private readonly toolsWithoutTests: readonly Tool[];

  constructor(private readonly ports: ToolPorts) {
    this.diffTool = new DiffTool(ports);
    this.toolsWithoutTests = [
      readFileTool(ports),
      findSymbolTool(ports),
      outlineTool(ports),
      definitionTool(ports),
      referencesTool(ports),
      implementationsTool(ports),
      callHierarchyTool(ports),
      hoverTool(ports),
      problemsTool(ports),
      searchTool(ports),
      selectionTool(ports),
      openEditorsTool(ports),
      openFileTool(ports),
      this.diffTool.tool,
      editFileTool(ports),
      renameTool(ports),
      fixesTool(ports),
      formatTool(ports),
      tasksTool(ports),
    ];
    this.allTools = [...this.toolsWithoutTests, testsTool(ports)];
  }

  /** VS Code registers its own tools some time after its start, and older versions cannot run tests. */
  get tools(): readonly Tool[] {
    return this.ports.tests.isAvailable ? this.allTools : this.toolsWithoutTests;
  }

  dispose(): void {
    this.diffTool.dispose();
  }
}
