// What the pages use of Preact and htm, for the type check.

export type View = any;
export function html(strings: TemplateStringsArray, ...values: any[]): View;
export function render(view: View, place: Element): void;
export const Fragment: any;
export function useState<T>(initial: T | (() => T)): [T, (next: T | ((previous: T) => T)) => void];
export function useState<T>(): [T | undefined, (next: T | undefined) => void];
export function useRef<T>(initial: T): { current: T };
export function useRef<T extends Element>(initial: null): { current: T | null };
export function useEffect(effect: () => void | (() => void), inputs?: any[]): void;
export function useLayoutEffect(effect: () => void | (() => void), inputs?: any[]): void;
export function useMemo<T>(make: () => T, inputs: any[]): T;
export function useCallback<T extends Function>(callback: T, inputs: any[]): T;
export function useId(): string;
