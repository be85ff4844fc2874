"""A page whose only component sends a number and gets it back: the most that dragging can reach."""

import streamlit as st

JS = """
export default function render({ data, parentElement, setStateValue }) {
  const state = (parentElement.state ??= { seq: 0, sent: -1, wanted: null });
  let node = parentElement.querySelector('#number');
  if (!node) {
    node = document.createElement('div');
    node.id = 'number';
    parentElement.append(node);
    document.addEventListener('pointermove', (event) => {
      if (!event.buttons) return;
      state.wanted = event.clientX;
      state.flush();
    });
  }
  state.flush = () => {
    if (state.wanted === null || state.wanted === state.sent || state.seq - state.acked >= 2) return;
    state.sent = state.wanted;
    state.seq += 1;
    setStateValue('number', { seq: state.seq, value: state.sent });
  };
  state.acked = data.seq;
  node.textContent = `${data.value}`;
  state.flush();
}
"""
component = st.components.v2.component("bare_drag", js=JS, isolate_styles=False)


@st.fragment
def echo() -> None:
    sent = (st.session_state.get("bare") or {}).get("number") or {"seq": 0, "value": "drag"}
    component(key="bare", data=sent, on_number_change=lambda: None)


echo()
