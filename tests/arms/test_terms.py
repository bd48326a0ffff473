from routebench.arms.terms import STOP_WORDS, query_terms, tokens


def test_tokens_are_ascii_words_in_lower_case_with_repeats():
    assert tokens("Foo.bar_baz: foo-9é") == ["foo", "bar_baz", "foo", "9"]


def test_terms_are_distinct_sorted_longer_than_two_and_not_stop_words():
    assert query_terms("The zip, ZIP of how_to it is an API") == ("api", "how_to", "zip")


def test_a_stop_word_inside_a_longer_token_stays():
    assert query_terms("without the_use") == ("the_use", "without")


def test_characters_cut_words_and_count_code_points():
    assert query_terms("éé parser", 8) == ("parse",)
    assert query_terms("éé parser", None) == ("parser",)


def test_hostile_text_gives_plain_terms():
    assert query_terms('" OR NEAR(* __init__ \0 -rm') == ("__init__", "near")


def test_non_ascii_letters_separate():
    assert query_terms("İstanbul \u212aelvin straße") == ("elvin", "stanbul", "stra")


def test_nothing_to_ask_gives_no_terms():
    assert query_terms("") == ()
    assert query_terms("这是 the in of") == ()


def test_the_stop_list_has_as_many_words_as_published():
    assert len(STOP_WORDS) == 49
