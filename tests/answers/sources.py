"""Where the answer of a question comes from that no number of the learner's can change: its exact source.

A paper is cited with its section, theorem, table or equation; a library by the call (and the argument) whose
documentation says it; a lecture note by its number and the heading there; what is counted or measured here by
the test that does it.
"""

VASWANI = "Vaswani et al. 2017, Attention Is All You Need"
DAO = "Dao et al. 2022, FlashAttention"
SU = "Su et al. 2021, RoFormer"
PRESS = "Press et al. 2022, Train Short, Test Long"
REAL_HEADS = "tests/lessons/real_heads/test_claims.py"
REAL_TRIALS = "tests/lessons/real_heads/test_trials.py"
TWO_LAYERS = "tests/lessons/two_layers/test_claims.py"
NOTE_0, NOTE_2, NOTE_3 = "lecture note 000", "lecture note 002", "lecture note 003"

SOURCES = {
    # one head, softmax
    "columns": f"{VASWANI}, equation 1: the softmax runs over the keys; transposed, down a column",
    "bank_rows": "tests/answers/test_answers.py: "
    "test_the_rows_that_change_with_the_last_word_are_those_of_the_story",
    "soft_three": "Goodfellow, Bengio, Courville 2016, Deep Learning, equation 4.1: softmax",
    "soft_shift": "Goodfellow, Bengio, Courville 2016, Deep Learning, section 4.1",
    "soft_tiny": "IEEE 754-2019, section 3.4: the smallest number of binary32 above 0 is 2^-149",
    "soft_axis": "torch.nn.functional.softmax: dim, the dimension along which softmax is computed",
    "soft_raise": "Bishop 2006, Pattern Recognition and Machine Learning, equation 4.106: the Jacobian",
    "soft_drop": "torch.nn.Dropout: outputs are scaled by a factor of 1/(1 - p) during training",
    "softmax_end": "torch.logsumexp: the log of summed exponentials of each row, numerically stabilised",
    # why √d_k
    "factor": f"{VASWANI}, section 3.2.1, footnote 4: q·k has variance d_k",
    "same": f"{VASWANI}, section 3.2.1, footnote 4, without its assumption that components are independent",
    "root_n": f"{VASWANI}, section 3.2.1, footnote 4: the variance follows from d_k, not from n",
    "why_scale_end": f"{VASWANI}, section 3.2.1, footnote 4, with another variance of the components",
    "divided": "tests/answers/test_answers.py: test_what_is_measured_is_clear_in_every_sample",
    "parts": "tests/answers/test_answers.py: test_what_is_measured_is_clear_in_every_sample",
    "note_start": f"{NOTE_2}, the example with torch.randn for X, W_Q, W_K and W_V, d_model = 8",
    # masks
    "causal": f"{VASWANI}, section 3.2.3: −∞ for what the decoder may not attend to",
    "fully_masked": "Goodfellow, Bengio, Courville 2016, Deep Learning, section 4.1: equal numbers",
    "padding_side": "torch.nn.MultiheadAttention.forward: key_padding_mask, elements of key to ignore",
    "half": "torch.Tensor.masked_fill_: value has to be representable; torch.finfo gives the limits",
    "ones": "torch.nn.functional.scaled_dot_product_attention: attn_mask, a float mask is added to scores",
    "polarity": "torch.nn.MultiheadAttention.forward: attn_mask, True is not allowed to attend",
    "masks_end": "tests/answers/test_answers.py: test_the_checks_of_a_mask_are_compared_where_they_differ",
    # many heads, cross-attention
    "head_columns": "torch.nn.MultiheadAttention: num_heads, embed_dim is split across the heads",
    "view": "torch.Tensor.view: the data stay in their order, only the shape is another",
    "shared": "Ainslie et al. 2023, GQA, section 2.1: key and value heads are mean-pooled, queries kept",
    "accident": "torch.broadcast_tensors: dimensions are lined up from the last one",
    "cross_cached": f"{VASWANI}, section 3.2.3: keys and values come from the output of the encoder",
    "cross_causal": f"{VASWANI}, section 3.2.3: the mask in the self-attention of the decoder",
    # order
    "order_waves": f"{VASWANI}, section 3.5: sine and cosine of the same frequency for each pair",
    "order_equal": "Lee et al. 2019, Set Transformer, property 1: attention is permutation equivariant",
    "order_shift": f"{SU}, section 3.1: the score is a function of the relative position",
    "order_slope": f"{PRESS}, section 3: the bias is added to the scores before the softmax",
    "order_padding": f"{VASWANI}, section 3.5, against {SU}, section 3.1, and {PRESS}, section 3",
    "order_end": f"{SU}, section 3.1, against {VASWANI}, section 3.5",
    # training
    "train_dark": "tests/lessons/train_a_head/test_numbers.py: "
    "test_one_of_the_offered_patterns_solves_each_task",
    "train_agree": "tests/lessons/train_a_head/test_numbers.py: "
    "test_two_seeds_agree_in_a_and_not_in_w_q_and_w_k",
    "train_zeros": "tests/lessons/train_a_head/test_numbers.py: "
    "test_from_zeros_no_gradient_reaches_w_q_and_w_k",
    "train_end": "tests/lessons/train_a_head/test_numbers.py: "
    "test_a_factor_that_cancels_changes_q_k_and_their_gradients_only",
    # two layers
    "two_one_layer": f"{TWO_LAYERS}: test_one_layer_guesses_among_the_letters_it_knows",
    "two_hand": "tests/attention/lab/two_layers/test_two_layers.py: "
    "test_the_layers_by_hand_are_a_previous_token_head_and_an_induction_head",
    "two_seeds": f"{TWO_LAYERS}: test_most_seeds_and_not_all_find_an_induction_head",
    "two_cut": f"{TWO_LAYERS}: test_the_model_by_hand_needs_the_path_to_the_keys_alone",
    "two_end": f"{TWO_LAYERS}: test_a_head_reads_no_other_head_of_its_layer",
    # real heads
    **{
        f"real_{name}": f"{REAL_HEADS}: test_the_heads_that_do_it_are_the_right_ones"
        for name in ("previous", "next", "first", "same_word", "animal")
    },
    "real_special": f"{REAL_HEADS}: test_the_others_share_what_two_keys_had",
    "real_exchange": f"{REAL_HEADS}: test_exchanged_rows_take_their_weights_along",
    "real_wide": f"{REAL_HEADS}: test_the_head_of_the_anecdote_keeps_to_its_noun",
    "real_trials": f"{REAL_TRIALS}: test_the_band_of_every_head_is_the_one_that_holds",
    "real_agree": "tests/lessons/real_heads/test_explain.py: "
    "test_what_comes_nearest_to_leaving_out_on_average",
    "real_without": "tests/lessons/real_heads/test_without_a_head.py: "
    "test_heads_of_the_last_layer_turn_the_embedding_most",
    "real_off": "tests/lessons/real_heads/test_next_word.py: test_one_head_of_all_decides_the_first_place",
    "real_zero": "tests/lessons/real_heads/test_explain.py: test_only_the_norm_is_0_for_a_value_of_zeros",
    "real_heads_end": f"{REAL_TRIALS}: test_one_head_is_compared_with_one_coin",
    # cost, FlashAttention
    "cost_crossing": f"{VASWANI}, table 1: n²·d and n·d² operations per layer",
    "cost_layers": "tests/attention/lab/cost/test_layers.py: the reach of a stack of dilated convolutions",
    "cost_double": f"{VASWANI}, table 1: n²·d; the projections take n·d² each",
    "cost_fused": "tests/lessons/cost/test_measured.py: the times that are shipped with the lesson",
    "cost_cache": "Touvron et al. 2023, Llama 2, table 1: grouped-query attention in the model with 70B",
    "cost_end": "Jiang et al. 2023, Mistral 7B, section 2: sliding window and rolling buffer cache",
    "flash_mend": "Milakov, Gimelshein 2018, Online normalizer calculation for softmax, algorithm 3",
    "flash_same": f"{DAO}, theorem 1: algorithm 1 returns softmax(QKᵀ)V",
    "flash_skip": "Dao 2023, FlashAttention-2, section 3.1.1: blocks above the diagonal are skipped",
    "flash_ops": "tests/attention/lab/flash/test_traffic.py: the multiplications of algorithm 1 counted",
    "flash_end": f"{DAO}, theorem 1, and the counts of tests/attention/lab/flash/test_traffic.py",
    # what newer models change
    "sink_lowered": "tests/attention/test_sinks.py: "
    "test_with_lower_scores_the_weights_of_the_keys_sum_to_less",
    "windows_reach": "tests/attention/lab/newer/test_windows.py: test_five_local_layers_of_gemma_3",
    "latent_cache": "tests/attention/lab/newer/test_latent.py: "
    "test_the_cache_of_deepseek_v3_is_that_of_its_configuration",
    "linear_state": "tests/attention/lab/newer/test_linear.py: "
    "test_one_token_after_another_is_causal_linear_attention",
    "newer_end": "tests/lessons/newer_models/test_claims.py: test_only_linear_attention_keeps_its_memory",
    # worked examples
    "worked_first": f"{NOTE_3}, “实际例子：翻译我爱猫”, step 3",
    "worked_range": f"{NOTE_2}, the output that is printed for five tokens",
    "worked_sum": f"{NOTE_0}, the softmax of [2.0, 1.0, 0.1]",
    "worked_it": f"{NOTE_0}, “it → animal (0.6)”",
    "worked_shape": f"{NOTE_2}, the loop over the heads with view",
    "worked_dropout": f"{NOTE_2}, class MultiHeadAttention: dropout on the returned weights",
    "worked_batch": f"{NOTE_2}, class MultiHeadAttention: mask (batch_size, seq_len_q, seq_len_k)",
    "worked_end": "a mean with weights from 0 to 1 that sum to 1 lies within the range of its numbers: "
    "Boyd, Vandenberghe 2004, Convex Optimization, section 2.1.4",
    "model_earliest": f"{VASWANI}, section 3: all layers but attention compute each position by itself, and "
    "a query is a projection of its own position",
    "model_guess": "tests/attention/lab/transformer/test_transformer.py: "
    "test_the_third_word_follows_from_the_first_and_from_no_other",
    "model_deep": "Dong et al. 2021, Attention is not all you need, section 1: without skip connections and "
    "MLPs the output converges doubly exponentially to a rank-1 matrix, which has identical rows",
    "model_scale": "Ba et al. 2016, Layer Normalization, section 5.1: invariant to a new scale of the input",
    "model_alone": "torch.softmax: the elements of the output sum to 1 along the dimension",
    "model_work": "tests/lessons/transformer/test_the_model.py: test_the_work_is_that_of_the_products",
    "model_end": f"{VASWANI}, section 3.3: the inner layer is four times as wide as the model (2048 and 512)",
}
